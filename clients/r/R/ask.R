# Questions: previewed for free, and asked once.

shoal_preview <- function(office, sql, epsilon = NULL, delta = NULL, rho = NULL) {
  body <- priced(sql, epsilon, delta, rho)
  told <- office_post(office, "/preview", body)
  columns <- data.frame(
    column = texts(told$columns, "name"),
    noise = texts(told$columns, "noise"),
    error = numbers(told$columns, "error"),
    per_row = numbers(told$columns, "per_row")
  )
  made <- list(
    price = told$price, fits = told$fits, confidence = ratio(told$confidence),
    columns = columns, notes = unlist(told$notes)
  )
  structure(made, class = "shoal_preview")
}

print.shoal_preview <- function(x, ...) {
  cat("It costs ", x$price, if (x$fits) "." else ", which is more than is left.", "\n", sep = "")
  cat("Errors hold with ", format(100 * x$confidence), " % confidence; per_row is divided by the rows of a group.\n", sep = "")
  print(x$columns[c("column", "error", "per_row")], row.names = FALSE)
  for (note in x$notes) cat("* ", note, "\n", sep = "")
  invisible(x)
}

shoal_ask <- function(office, sql, epsilon = NULL, delta = NULL, rho = NULL, key = NULL) {
  body <- priced(sql, epsilon, delta, rho)
  if (is.null(key)) key <- new_key()
  told <- office_post(office, "/releases", body, key = key)
  answer <- if (is.null(told$rows)) told$answer else told
  if (is.null(answer)) {
    stop_here(
      "engine-2", "this question was charged, and its answer was never stored.",
      "Ask it under another key; that is charged again."
    )
  }
  frame <- frame_of(answer)
  attr(frame, "certificate") <- answer$certificate
  attr(frame, "notes") <- unlist(answer$notes)
  attr(frame, "confidence") <- ratio(answer$confidence)
  attr(frame, "price") <- answer$request
  attr(frame, "release") <- told$release
  attr(frame, "free") <- told$free
  frame
}

# A key for one act: however often it is sent, it is charged once. The same question asked again under
# another key is not charged either.
new_key <- function() paste0("r-", paste(as.character(openssl::rand_bytes(16)), collapse = ""))

priced <- function(sql, epsilon, delta, rho) {
  if (!is.character(sql) || length(sql) != 1 || is.na(sql)) {
    stop_here("input-1", "a question is one text of SQL.", "Give \"SELECT COUNT(*) AS n FROM visits\".")
  }
  body <- list(sql = sql, epsilon = exactly(epsilon), delta = exactly(delta), rho = exactly(rho))
  body[!vapply(body, is.null, logical(1))]
}

# A number as it is typed: 0.1 is one tenth, and "1/3" one third.
exactly <- function(number) {
  if (is.null(number) || is.character(number)) {
    return(number)
  }
  if (!is.numeric(number) || length(number) != 1 || !is.finite(number)) {
    stop_here("number-1", "this is not a number.", "Give 0.1, or \"1/3\" as text.")
  }
  shortest <- format(number, digits = 15)
  if (as.numeric(shortest) == number) shortest else format(number, digits = 17)
}

# An answer as a data frame: each number with the ends of its interval beside it.
frame_of <- function(answer) {
  columns <- unlist(answer$columns)
  made <- list()
  for (at in seq_along(columns)) {
    name <- columns[[at]]
    made[[name]] <- values(lapply(answer$rows, `[[`, at), answer$types[[at]])
    ends <- answer$intervals[[name]]
    if (!is.null(ends)) {
      made[[paste0(name, "_low")]] <- values(lapply(ends, one_end, 1), "real")
      made[[paste0(name, "_high")]] <- values(lapply(ends, one_end, 2), "real")
    }
  }
  as.data.frame(made, optional = TRUE, stringsAsFactors = FALSE)
}

one_end <- function(ends, at) if (is.null(ends)) NULL else ends[[at]]

values <- function(found, type) {
  kind <- sub("\\(.*", "", type)
  blank <- vapply(found, is.null, logical(1))
  found[blank] <- NA
  if (kind %in% c("integer", "real", "decimal")) {
    return(vapply(found, function(each) as.numeric(each), numeric(1)))
  }
  if (kind == "boolean") {
    return(vapply(found, as.logical, logical(1)))
  }
  text <- vapply(found, as.character, character(1))
  switch(kind,
    date = as.Date(text),
    timestamp = as.POSIXct(text, tz = "UTC", format = "%Y-%m-%dT%H:%M:%OS"),
    text
  )
}

texts <- function(some, name) vapply(some, function(each) as.character(each[[name]]), character(1))

numbers <- function(some, name) {
  vapply(some, function(each) if (is.null(each[[name]])) NA_real_ else as.numeric(each[[name]]), numeric(1))
}

# "19/20" as a number, for reading only.
ratio <- function(text) {
  parts <- as.numeric(strsplit(as.character(text), "/", fixed = TRUE)[[1]])
  if (length(parts) == 2) parts[[1]] / parts[[2]] else parts[[1]]
}
