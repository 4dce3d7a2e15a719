# What needs no office: addresses, tokens, numbers and values.
library(shoal)
refused <- function(code, act) {
  found <- tryCatch(act, shoal_error = function(cond) cond)
  stopifnot(inherits(found, "shoal_error"), identical(found$code, code))
  invisible(conditionMessage(found))
}

Sys.setenv(SHOAL_TOKEN = "secret-token", SHOAL_TOKEN_FILE = "")
for (url in c(
  "http://office.example.org", "ftp://127.0.0.1", "office.example.org", "",
  "https://x.org/path", "https://x.org?token=a", "https://me:word@x.org", "https://x.org#a",
  "http://127.0.0.1.evil.example", "http://localhost.evil.example"
)) {
  refused("schema-1", shoal_connect(url))
}
office <- shoal_connect("http://127.0.0.1:8000/")
stopifnot(identical(office$origin, "http://127.0.0.1:8000"))
stopifnot(!any(grepl("secret", capture.output(print(office)))))
stopifnot(!any(grepl("secret", capture.output(str(unclass(office)$origin)))))

Sys.setenv(SHOAL_TOKEN = "")
refused("token-1", shoal_connect("https://x.org"))
refused("token-1", shoal_connect("https://x.org", token = "  "))
refused("token-1", shoal_connect("https://x.org", file = "no-such-file"))
place <- tempfile()
writeLines("  from-a-file ", place)
stopifnot(identical(shoal_connect("https://x.org", file = place)$token(), "from-a-file"))
Sys.setenv(SHOAL_TOKEN_FILE = place)
stopifnot(identical(shoal_connect("https://x.org")$token(), "from-a-file"))

exactly <- shoal:::exactly
stopifnot(identical(exactly(0.1), "0.1"), identical(exactly(1), "1"), identical(exactly("1/3"), "1/3"))
stopifnot(as.numeric(exactly(1e-7)) == 1e-7, as.numeric(exactly(0.1 + 0.2)) == 0.1 + 0.2)
for (wrong in list(NA_real_, Inf, c(1, 2), TRUE)) refused("number-1", exactly(wrong))

values <- shoal:::values
stopifnot(identical(values(list(1, NULL, 3), "integer"), c(1, NA, 3)))
stopifnot(identical(values(list("a", NULL), "text"), c("a", NA)))
stopifnot(identical(values(list(TRUE, NULL), "boolean"), c(TRUE, NA)))
stopifnot(identical(values(list("2026-01-02"), "date"), as.Date("2026-01-02")))
stopifnot(identical(values(list("12.50"), "decimal(2)"), 12.5))
stopifnot(nrow(shoal:::frame_of(list(columns = list("n"), types = list("integer"), rows = list()))) == 0)
