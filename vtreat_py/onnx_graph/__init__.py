"""A plan as an ONNX model: the same numbers as `prepare`, wherever there is a runtime."""
