//! The orders that are sent, each with its own id.

use crate::{load::post_json, throughput::BODY};

/// The id in the order that the benchmark sends. All other ids are as long.
const TEMPLATE_ID: &str = "ord_18374";

/// The id of an order by its number.
pub(crate) fn id_of(number: u64) -> String {
    format!("ord_{number:05}")
}

/// The request for an order.
pub(crate) fn request(addr: &str, path: &str, number: u64) -> Vec<u8> {
    let body = BODY.replacen(TEMPLATE_ID, &id_of(number), 1);
    post_json(addr, path, &body)
}

/// Whether a text is the id of an order.
pub(crate) fn is_id(text: &str) -> bool {
    text.strip_prefix("ord_").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_has_its_id() {
        let text = |number| String::from_utf8(request("host:1", "/x", number)).expect("it is text");
        assert!(text(7).contains(r#""id":"ord_00007""#));
        assert_eq!(text(7).len(), text(99_999).len());
    }

    #[test]
    fn ids_are_recognized() {
        assert!(is_id(&id_of(0)) && is_id(&id_of(123_456)));
        assert!(!is_id("ord_") && !is_id("ord_x1") && !is_id("order.paid"));
    }
}
