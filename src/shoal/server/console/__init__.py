"""The console: pages over the office for people in a browser.  It reads forms, asks the vault as the
API does, and writes pages.
"""
