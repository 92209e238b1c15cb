"""The scheduler: what is due runs on time, in lanes, in this process."""
