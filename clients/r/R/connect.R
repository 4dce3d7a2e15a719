# An office and a token. The token is kept in a closure and sent in a header: it is in no address, and
# printing the office does not show it.

shoal_connect <- function(url, token = NULL, file = NULL) {
  origin <- office_origin(url)
  secret <- find_token(token, file)
  structure(list(origin = origin, token = function() secret), class = "shoal_office")
}

print.shoal_office <- function(x, ...) {
  cat("<shoal office at ", x$origin, ">\n", sep = "")
  invisible(x)
}

# The address without a slash at its end. A token goes by TLS, or stays on this machine.
office_origin <- function(url) {
  if (!is.character(url) || length(url) != 1 || is.na(url)) {
    stop_here("input-1", "the address of an office is one text.", "Give \"https://office.example.org\".")
  }
  parts <- httr2::url_parse(url)
  here <- isTRUE(grepl("^(localhost|127(\\.[0-9]{1,3}){3}|\\[?::1\\]?)$", parts$hostname))
  if (is.null(parts$hostname) || !(identical(parts$scheme, "https") || (identical(parts$scheme, "http") && here))) {
    stop_here(
      "schema-1", "this is not the address of an office: a token is sent by TLS only.",
      "Give \"https://office.example.org\", or \"http://127.0.0.1:8000\" on this machine."
    )
  }
  more <- c(parts$username, parts$password, unlist(parts$query), parts$fragment)
  if (length(more) > 0 || !(is.null(parts$path) || parts$path %in% c("", "/"))) {
    stop_here(
      "schema-1", "the address of an office has no path, and no token in it.",
      "Give \"https://office.example.org\", and the token in SHOAL_TOKEN."
    )
  }
  sub("/$", "", url)
}

# The token that is given, in a file, in SHOAL_TOKEN, in the file of SHOAL_TOKEN_FILE, or typed in.
find_token <- function(token, file) {
  if (is.null(token) && is.null(file)) {
    token <- Sys.getenv("SHOAL_TOKEN")
    named <- Sys.getenv("SHOAL_TOKEN_FILE")
    if (!nzchar(token) && nzchar(named)) file <- named
  }
  if (!is.null(file)) {
    token <- tryCatch(
      paste(readLines(file, warn = FALSE), collapse = ""),
      error = function(cond) "", warning = function(cond) ""
    )
  }
  if (!nzchar(trimws(token)) && interactive() && requireNamespace("askpass", quietly = TRUE)) {
    token <- askpass::askpass("Token of the office: ")
  }
  if (is.null(token) || !is.character(token) || length(token) != 1 || !nzchar(trimws(token))) {
    stop_here(
      "token-1", "an office lets in people with a token, and there is none.",
      "Set SHOAL_TOKEN to the token that the owner gave you, or SHOAL_TOKEN_FILE to a file with it."
    )
  }
  trimws(token)
}
