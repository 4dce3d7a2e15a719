// On the way back from another site a browser does not send the new cookie yet; a step from this page it does.
location.replace(document.getElementById("go-on").href);
