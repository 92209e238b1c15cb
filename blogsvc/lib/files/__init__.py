"""Files: written whole or not at all, and read by nobody else."""
