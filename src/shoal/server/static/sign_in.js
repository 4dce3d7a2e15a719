// A one-time link has its token after the #, which no browser sends anywhere. It goes into the form and
// out of the address, so that neither the history nor a screenshot keeps it.

const token = decodeURIComponent(location.hash.slice(1));
if (token) {
  history.replaceState(null, "", location.pathname);
  document.getElementById("token").value = token;
  document.getElementById("from-link").hidden = false;
}
