"""The office over HTTP, `/api/v1`: it reads requests, asks the vault, and writes answers."""
