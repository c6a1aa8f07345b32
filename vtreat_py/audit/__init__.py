"""Audits: whether the frames that a plan treats are still like those of its design."""
