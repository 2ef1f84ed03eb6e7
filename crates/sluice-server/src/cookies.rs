//! Reads the cookies of a request.

use cookie::Cookie;
use http::{HeaderMap, header::COOKIE};

/// The value of our cookie with this name. With two cookies of the name there is no telling which is ours, so neither counts.
pub(crate) fn only_value(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut cookies = headers
        .get_all(COOKIE)
        .iter()
        .flat_map(|line| Cookie::split_parse(String::from_utf8_lossy(line.as_bytes())))
        .filter_map(Result::ok)
        .filter(|cookie| cookie.name() == name);
    let (cookie, None) = (cookies.next()?, cookies.next()) else {
        return None;
    };
    Some(cookie.value().to_owned())
}
