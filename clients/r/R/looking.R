# What there is: datasets, what is left of a budget, and what was released.

shoal_datasets <- function(office) {
  found <- office_get(office, "/datasets")$datasets
  rows <- lapply(found, function(each) {
    data.frame(
      dataset = each$name, version = each$version,
      column = texts(each$columns, "name"), type = texts(each$columns, "type"),
      known = vapply(each$columns, known_of, character(1)), public = each$public
    )
  })
  if (length(rows) == 0) data.frame() else do.call(rbind, rows)
}

known_of <- function(column) {
  if (!is.null(column$range)) {
    return(paste(unlist(column$range), collapse = " to "))
  }
  if (!is.null(column$choices)) {
    return(paste(vapply(column$choices, format, character(1)), collapse = ", "))
  }
  ""
}

# Amounts stay texts, as the office counts them: exact.
shoal_budget <- function(office, dataset) {
  told <- office_get(office, paste0("/budgets/", utils::URLencode(dataset, reserved = TRUE)))
  accounts <- c(told$accounts, told$allowances)
  made <- data.frame(
    account = texts(accounts, "account"),
    budget = vapply(accounts, function(each) amount(each$budget), character(1)),
    spent = vapply(accounts, function(each) amount(each$spent), character(1)),
    left = vapply(accounts, function(each) amount(each$left), character(1)),
    releases = numbers(accounts, "releases")
  )
  attr(made, "risk") <- unlist(told$risk)
  made
}

amount <- function(said) paste(names(said), unlist(said), collapse = ", ")

shoal_log <- function(office, limit = 50) {
  found <- office_get(office, "/releases", list(limit = limit))$releases
  data.frame(
    release = numbers(found, "release"), time = texts(found, "time"),
    asked_by = texts(found, "asked_by"), question = texts(found, "question"),
    price = texts(found, "request"), state = texts(found, "state")
  )
}
