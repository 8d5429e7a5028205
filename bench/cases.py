"""What is measured: sizes, and the figures to beat (a rough prototype's, on 2 Zen 4 cores)."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Case:
    name: str
    kind: str               # exact: us and the peers; large, lowrank, mnist: us; transform
    n: int
    d: int
    k: int = 20
    route: str = "auto"
    residual: float = 1e-10
    memory: str = ""        # our budget; empty: the default
    rank: int = 0
    new_points: int = 0
    # contender -> (seconds, bytes)
    to_beat: tuple = ()
    cannot: str = ""        # why the peers are not there

    @property
    def gamma(self):
        return 1 / self.d

    @property
    def title(self):
        parts = [f"n {self.n:,}", f"d {self.d}", f"k {self.k}"]
        if self.rank:
            parts.append(f"rank {self.rank:,}")
        if self.new_points:
            parts.append(f"{self.new_points:,} new points")
        if self.kind in ("exact", "large"):
            parts.append(f"route {self.route}, residual {self.residual:g}")
        if self.memory:
            parts.append(f"budget {self.memory}")
        return f"{self.name}: {' '.join(parts[:3])}{''.join(', ' + p for p in parts[3:])}"


CASES = (
    Case("c", "exact", 5_000, 50, 10, "stored", to_beat=(("mercer", 0.106, 145e6),)),
    Case("d", "exact", 10_000, 100, route="stored", to_beat=(("mercer", 0.69, 474e6), ("mercer, float", 0.37, 258e6))),
    Case("e", "exact", 20_000, 100, route="stored", to_beat=(("mercer", 2.75, 1681e6), ("mercer, float", 1.33, 868e6))),
    Case("f", "large", 100_000, 20, route="tiled", residual=1e-8, memory="400M", to_beat=(("mercer", 82, 186e6),),
         cannot="The peers keep n² doubles, 80 GB."),
    Case("g", "lowrank", 1_000_000, 20, route="lowrank", rank=1000,
         to_beat=(("mercer", 29.8, 8.1e9), ("mercer, float", 14.7, 4.2e9)), cannot="The peers have no such method with bounds."),
    Case("mnist", "mnist", 60_000, 784, memory="8G", cannot="The peers keep n² doubles, 29 GB."),
    Case("transform", "transform", 10_000, 100, new_points=50_000,
         to_beat=(("mercer", 1.58, 120e6), ("mercer, float", 0.73, 100e6))),
)
DEFAULT = ("c", "d", "transform")

QUICK = {  # proves the machinery; the figures mean nothing
    "c": dict(n=1_000, d=10, k=5),
    "d": dict(n=1_500, d=20),
    "e": dict(n=2_000, d=20),
    "f": dict(n=3_000),
    "g": dict(n=24_000, rank=100),
    "transform": dict(n=1_000, d=20, new_points=2_000),
}


def chosen(names, quick):
    unknown = set(names) - {case.name for case in CASES}
    if unknown:
        raise SystemExit(f"compare.py: no case {', '.join(sorted(unknown))}; there are {', '.join(c.name for c in CASES)}")
    cases = [case for case in CASES if case.name in names]
    return [replace(case, to_beat=(), **QUICK.get(case.name, {})) for case in cases] if quick else cases
