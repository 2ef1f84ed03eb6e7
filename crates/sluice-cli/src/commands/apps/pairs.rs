//! Repeated flags of the form `NAME=VALUE`.

use std::collections::BTreeMap;

use crate::commands::prop_args::pair;

pub(super) fn pairs(flag: &str, texts: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    let pairs = texts.iter().map(|text| {
        let (name, value) = pair(text, flag, "NAME=VALUE")?;
        Ok((name.to_owned(), value.to_owned()))
    });
    pairs.collect()
}
