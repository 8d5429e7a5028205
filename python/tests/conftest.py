"""Read by pytest before any test: NumPy's own threads spin when the machine is busy, and wait for each other for minutes."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
