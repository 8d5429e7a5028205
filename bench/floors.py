"""The least time that each stage of ours could take: flops over the GEMM rate, exponentials over their rate, bytes
over bandwidth, all measured in the same run.

A range where the answer depends on how many passes were made in float and how many in double, which the report does
not tell: from all in float to all in double.
"""
import statistics


def typical(measured):
    return {name: statistics.median(rates[name] for rates in measured) for name in measured[0]}


class Floors:
    def __init__(self, rates):
        self.rates = rates

    def elements(self, count, d, precision):
        """Evaluating so many elements of the kernel matrix."""
        return count * 2 * d / self.rates[f"gemm_{precision}"] + count / self.rates[f"exp_{precision}"]

    def product(self, flops, read, precision):
        return max(flops / self.rates[f"gemm_{precision}"], read / self.rates["read_bytes"])

    def stages(self, report):
        """stage -> (low, high) seconds."""
        if report["plan"]["route"] in ("stored", "tiled"):
            return self.exact(report)
        if report["plan"]["route"] == "lowrank":
            return self.low_rank(report)
        return {}

    def exact(self, report):
        n, d, k, precision = report["n"], report["d"], report["components"], report["precision"]
        stored, block, half = report["plan"]["route"] == "stored", 16 if precision == "float" else 8, n * n / 2
        size = 4 if precision == "float" else 8
        kernel = self.elements(half, d, precision) + (half * size / self.rates["fresh_bytes"] if stored else 0)

        def a_pass(kind):
            flops, read = 2 * n * n * block, half * (4 if kind == "float" else 8)
            return self.product(flops, read, kind) if stored else self.elements(half, d, kind) + self.product(flops, 0, kind)

        passes = report["passes"]
        out = {"kernel": (kernel, kernel), "solve": (passes * a_pass("float"), passes * a_pass(precision))}
        if precision == "float":  # sums and residuals once more in double, nothing stored
            certify = 2 * self.elements(half, d, "double") + self.product(2 * n * n * k, 0, "double")
            out["certify"] = (certify, certify)
        return out

    def low_rank(self, report):
        n, d, k, r, precision = report["n"], report["d"], report["components"], report["rank"], report["precision"]
        size = 4 if precision == "float" else 8
        gemm = self.rates[f"gemm_{precision}"]
        columns = self.elements(n * r, d, precision)
        floors = {
            "factor": columns + n * r * r / gemm + n * r * size / self.rates["fresh_bytes"],
            "scatter": self.product(n * r * r, n * r * size, precision),
            "solve": 4 / 3 * r**3 / self.rates["gemm_double"],
            "scores": columns + 2 * n * r * k / gemm,
        }
        return {stage: (seconds, seconds) for stage, seconds in floors.items()}

    def transform(self, case, precision):
        pairs = case.n * case.new_points
        return self.elements(pairs, case.d, precision) + 2 * pairs * case.k / self.rates[f"gemm_{precision}"]
