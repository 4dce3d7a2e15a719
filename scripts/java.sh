#!/bin/sh
# The tests of Spark need Java 17 or later: look for it, and where apt can, install it.
if [ -x "${JAVA_HOME:-/nowhere}/bin/java" ] || command -v java > /dev/null 2>&1; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
  echo "setup: java"
  export DEBIAN_FRONTEND=noninteractive
  for try in 1 2 3; do
    { apt-get -qq update && apt-get -qq -y --no-install-recommends install openjdk-17-jre-headless; } > /dev/null 2>&1 < /dev/null && exit 0
    sleep 5
  done
fi
echo "setup: there is no Java, so the tests of Spark cannot run; install Java 17 or later, or say where it is in JAVA_HOME"
