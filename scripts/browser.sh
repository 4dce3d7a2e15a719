#!/bin/sh
# The browser tests need Chromium: look for it, and where apt can, install it.
for name in "${SHOAL_CHROMIUM:-chromium}" chromium chromium-browser google-chrome; do
  command -v "$name" > /dev/null 2>&1 && exit 0
done
if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
  echo "setup: chromium"
  export DEBIAN_FRONTEND=noninteractive
  for try in 1 2 3; do
    { apt-get -qq update && apt-get -qq -y --no-install-recommends install chromium; } > /dev/null 2>&1 < /dev/null && exit 0
    sleep 5
  done
fi
echo "setup: there is no Chromium, so the browser tests cannot run; install it, or say where it is in SHOAL_CHROMIUM"
