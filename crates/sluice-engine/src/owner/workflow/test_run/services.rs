//! The services that test runs use.

use sluice_infra::Infra;

use crate::{
    disk_quota::DiskQuotas,
    owner::services::Services,
    process::{ProcessStarter, credentials::Credentials},
    quotas::Quotas,
};

#[derive(Clone)]
pub(super) struct TestServices {
    pub(super) infra: Infra,
    pub(super) quotas: Quotas,
    pub(super) disk: DiskQuotas,
    pub(super) credentials: Credentials,
    pub(super) starter: ProcessStarter,
}

impl TestServices {
    pub(super) fn of(services: &Services) -> TestServices {
        TestServices {
            infra: services.infra.clone(),
            quotas: services.quotas.clone(),
            disk: services.disk.clone(),
            credentials: services.credentials.clone(),
            starter: services.starter.clone(),
        }
    }
}
