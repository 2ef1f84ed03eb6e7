//! Changes of components in the audit log.

use sluice_infra::Infra;
use sluice_store::{
    audit::{Action, TargetKind},
    components::Component,
};

use crate::audit::{Actor, Change, Target};

pub(super) fn change_of(
    infra: &Infra,
    actor: &Actor,
    action: Action,
    component: &Component,
) -> Change {
    let name = component.key.as_deref().unwrap_or(&component.name);
    let target = Target::new(TargetKind::Component, &component.id, name);
    Change::new(infra, actor, action, target).with("version", component.version.as_str())
}
