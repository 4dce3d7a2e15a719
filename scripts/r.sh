#!/bin/sh
# The tests of the R client need R with httr2 and jsonlite: look for them, and where apt can, install them.
if command -v Rscript > /dev/null 2>&1 \
  && Rscript -e 'quit(status = !all(c("httr2", "jsonlite") %in% rownames(installed.packages())))' > /dev/null 2>&1; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
  echo "setup: r"
  export DEBIAN_FRONTEND=noninteractive
  for try in 1 2 3; do
    { apt-get -qq update && apt-get -qq -y --no-install-recommends install r-base-core r-cran-httr2 r-cran-jsonlite; } > /dev/null 2>&1 < /dev/null && exit 0
    sleep 5
  done
fi
echo "setup: there is no R with httr2 and jsonlite, so the tests of the R client cannot run; install them"
