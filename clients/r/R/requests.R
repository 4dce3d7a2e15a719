# Requests to an office. What is safe to send again is sent again: a GET, and an act with a key, which
# is charged once.

prefix <- "/api/v1"
tries <- 5
patience <- 600 # seconds that an answer is waited for

office_get <- function(office, path, query = list()) {
  sent(office, path, query = query)$body
}

office_post <- function(office, path, body, key = NULL) {
  found <- sent(office, path, body = body, key = key)
  end <- Sys.time() + patience
  while (found$status == 202) {
    if (Sys.time() > end) {
      stop_here(
        "office-1", "the answer takes longer than this client waits.",
        "Ask again later with the same key; it is charged once."
      )
    }
    Sys.sleep(0.2)
    found <- sent(office, sub(prefix, "", found$location, fixed = TRUE))
  }
  found$body
}

sent <- function(office, path, body = NULL, key = NULL, query = list()) {
  made <- httr2::request(paste0(office$origin, prefix, path))
  made <- httr2::req_headers(
    made,
    Authorization = paste("Bearer", office$token()), Accept = "application/json"
  )
  made <- httr2::req_options(made, followlocation = 0L, timeout = 60L)
  # Without TLS the office is on this machine: no proxy may see the token.
  if (startsWith(office$origin, "http:")) made <- httr2::req_options(made, noproxy = "*")
  made <- httr2::req_error(made, is_error = function(resp) FALSE)
  if (length(query) > 0) made <- do.call(httr2::req_url_query, c(list(made), query))
  if (!is.null(key)) made <- httr2::req_headers(made, `Idempotency-Key` = key)
  if (!is.null(body)) made <- httr2::req_body_json(made, body, auto_unbox = TRUE, null = "null")
  answered(made, safe = is.null(body) || !is.null(key), key = key)
}

answered <- function(made, safe, key) {
  for (attempt in seq_len(tries)) {
    found <- tryCatch(httr2::req_perform(made), error = function(cond) NULL)
    if (is.null(found)) {
      if (attempt == tries || !safe) {
        stop_here(
          "office-1", "the office cannot be reached, or left before it answered.",
          paste0(
            "Check the address and the network, and ask again",
            if (!is.null(key)) paste0(" with the same key, \"", key, "\""), "."
          )
        )
      }
      Sys.sleep(0.2 * 2^(attempt - 1))
    } else if (httr2::resp_status(found) == 429 && attempt < tries) {
      wait <- suppressWarnings(as.numeric(httr2::resp_header(found, "Retry-After")))
      Sys.sleep(min(5, if (length(wait) == 1 && !is.na(wait)) wait else 1))
    } else {
      return(read_answer(found))
    }
  }
}

# What an answer holds; an error of the office is raised with its code, its words and its caret.
read_answer <- function(found) {
  status <- httr2::resp_status(found)
  body <- tryCatch(
    jsonlite::fromJSON(httr2::resp_body_string(found), simplifyVector = FALSE),
    error = function(cond) NULL
  )
  if (status < 300 && !is.null(body)) {
    place <- httr2::resp_header(found, "Location")
    return(list(status = status, body = body, location = if (is.null(place)) "" else place))
  }
  told <- if (is.list(body)) body$error
  if (is.null(told$code)) {
    stop_here("office-1", paste0("the answer (", status, ") is not one of an office."), "Check the address.")
  }
  stop_with(told$code, told$message, told$remedy, told$position, told$request)
}

# Errors. They are conditions of class shoal_error, and of their code: tryCatch(..., `budget-1` = ).
stop_here <- function(code, message, remedy) stop_with(code, message, remedy, NULL, NULL)

stop_with <- function(code, message, remedy, position, request) {
  stop(structure(
    class = c(code, "shoal_error", "error", "condition"),
    list(
      message = message, call = NULL, code = code, remedy = remedy,
      position = position, request = request
    )
  ))
}

conditionMessage.shoal_error <- function(c) {
  paste0("[", c$code, "] ", c$message, "\n    ", c$remedy)
}
