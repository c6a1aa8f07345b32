"""Pages that run another package beside this one are passed over where it is not installed."""

from importlib.util import find_spec

PEERS = {
    "moving/from_category_encoders.md": "category_encoders",
    "moving/from_skrub.md": "skrub",
}
collect_ignore = [page for page, package in PEERS.items() if find_spec(package) is None]
