//! The value of `--control-group`.

use std::{convert::Infallible, str::FromStr};

use sluice_runtime::GroupPlace;

/// `None` for no control group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ControlGroupOption(pub(crate) Option<GroupPlace>);

impl FromStr for ControlGroupOption {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(ControlGroupOption(match text {
            "auto" => Some(GroupPlace::Delegated),
            "off" => None,
            folder => Some(GroupPlace::Folder(folder.into())),
        }))
    }
}
