"""Any frame in, typed columns out, and back."""
