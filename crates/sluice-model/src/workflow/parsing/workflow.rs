//! The workflow as a whole.

use super::{
    env,
    fields::{Field, optional},
    settings, steps, triggers,
};
use crate::workflow::{document::Document, error::ParseResult};

const FIELDS: [&str; 6] = [
    "name",
    "description",
    "env",
    "triggers",
    "steps",
    "settings",
];

pub(super) fn read(root: &Field<'_>) -> ParseResult<Document> {
    let fields = root.fields("a workflow", &FIELDS)?;
    let name = fields.required("name").and_then(|name| name.words());
    let description = optional(fields.get("description"), Field::string);
    let env = optional(fields.get_filled("env"), env::read);
    let triggers = optional(fields.get_filled("triggers"), triggers::read);
    let steps = fields.required("steps").and_then(|list| steps::read(&list));
    let settings = optional(fields.get_filled("settings"), settings::read);
    Ok(Document {
        name: name?.to_owned(),
        description: description?.map(str::to_owned),
        env: env?.unwrap_or_default(),
        triggers: triggers?.unwrap_or_default(),
        steps: steps?,
        settings: settings?.unwrap_or_default(),
    })
}
