"""The row *learning*: models trained privately, beside other libraries and no privacy at all."""
