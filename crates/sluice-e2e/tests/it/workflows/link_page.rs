//! A person who opens the link of a waiting run in a browser, and presses a button of the page.

use sluice_testkit::{Answer, Api, Method};

/// What a browser asks for when somebody goes to a page.
const NAVIGATION: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Opens a link as a browser does.
pub(crate) async fn open(api: &Api, url: &str) -> Answer {
    let request = api.absolute(Method::GET, url).header("accept", NAVIGATION);
    request.send().await
}

/// Opens a link, and presses the button with this label. Gives the page that comes then.
pub(crate) async fn press(api: &Api, url: &str, label: &str) -> Answer {
    let page = open(api, url).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let form = page
        .text
        .split("<form ")
        .find(|form| form.contains(&format!(">{label}</button>")))
        .unwrap_or_else(|| panic!("no {label} in {}", page.text));
    let (_, action) = form.split_once("action=\"").expect("an address");
    let (action, _) = action.split_once('"').expect("its end");
    let action = action.replace("&amp;", "&");
    let pressed = api
        .root(Method::POST, &action)
        .header("accept", NAVIGATION)
        .header("content-type", "application/x-www-form-urlencoded");
    pressed.send().await
}
