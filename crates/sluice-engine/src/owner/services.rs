//! The services that owners use.

use sluice_infra::Infra;

use super::{after_commit::AfterCommit, claims::Claims, replies::Replies};
use crate::{
    disk_quota::DiskQuotas,
    process::{Permits, ProcessStarter, credentials::Credentials},
    quotas::Quotas,
    tick_health::TickHealth,
};

#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) infra: Infra,
    pub(crate) claims: Claims,
    pub(crate) replies: Replies,
    pub(crate) quotas: Quotas,
    pub(crate) disk: DiskQuotas,
    pub(crate) credentials: Credentials,
    pub(crate) permits: Permits,
    pub(crate) starter: ProcessStarter,
    pub(crate) after_commit: AfterCommit,
    pub(crate) tick_health: TickHealth,
}
