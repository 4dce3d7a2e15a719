"""Signing in through the organisation: OpenID Connect, or a proxy that vouches for people."""
