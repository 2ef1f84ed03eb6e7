//! Sources as the API shows them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};
use sluice_engine::EngineError;
use sluice_infra::Settings;
use sluice_model::{ComponentId, ComponentShape, EmitterId, PropType, SourceId, UserId, masked};
use sluice_store::{
    Conn, Page, StoreError, components,
    endpoints::{self, Endpoint},
    sources::{self, Source},
    timers,
};

use super::service::Sources;
use crate::{
    activity::EmitterSelection, components::known_apps, listing::Listing, tick_health::TickHealth,
};

pub struct SourceView {
    pub source: Source,
    /// The slug of the app of its component.
    pub app: Option<String>,
    /// Secrets masked, endpoints as addresses, timers as their schedule.
    pub configured_props: Map<String, Value>,
    /// The earliest due time of its timers; none while no timer is armed.
    pub next_run_at: Option<i64>,
    /// None without timers.
    pub ticks: Option<TickHealth>,
}

impl Sources {
    /// The user's source with this id or slug.
    pub async fn get(&self, user: &UserId, id_or_slug: &str) -> Result<SourceView, EngineError> {
        let (user, id_or_slug) = (user.clone(), id_or_slug.to_owned());
        let settings = self.infra.settings.clone();
        let now_ms = self.infra.now_ms();
        self.infra
            .store
            .read(move |c| {
                let found = match SourceId::parse(&id_or_slug) {
                    Some(id) => sources::get(c, &user, &id)?,
                    None => sources::by_slug(c, &user, &id_or_slug)?,
                };
                views(c, found.into_iter().collect(), &settings, now_ms)
            })
            .await?
            .pop()
            .ok_or(EngineError::NotFound("source"))
    }

    pub async fn list(
        &self,
        user: &UserId,
        selection: &EmitterSelection,
        page: Page,
    ) -> Result<Listing<SourceView>, EngineError> {
        let user = user.clone();
        let now_ms = self.infra.now_ms();
        let filter = selection.filter(now_ms);
        let settings = self.infra.settings.clone();
        let listing = self.infra.store.read(move |c| {
            let total = sources::count(c, &user, &filter)?;
            let page = sources::list(c, &user, &filter, &page)?;
            let rows = views(c, page, &settings, now_ms)?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

/// Takes a fixed number of queries, however many sources there are.
fn views(
    c: &mut dyn Conn,
    sources: Vec<Source>,
    settings: &Settings,
    now_ms: i64,
) -> Result<Vec<SourceView>, StoreError> {
    let ids: Vec<EmitterId> = sources.iter().map(|one| one.id.clone().into()).collect();
    let used: HashSet<&ComponentId> = sources.iter().map(|one| &one.component_id).collect();
    let used: Vec<ComponentId> = used.into_iter().cloned().collect();
    let shapes = components::shapes_for_run(c, &used)?;
    let apps = known_apps(c, shapes.iter())?;
    let mut endpoints: HashMap<EmitterId, Vec<Endpoint>> = HashMap::new();
    for endpoint in endpoints::of_emitters(c, &ids)? {
        let own = endpoints.entry(endpoint.emitter_id.clone()).or_default();
        own.push(endpoint);
    }
    let timers = timers::status_of_emitters(c, &ids)?;
    let ticks = TickHealth::of_emitters(c, &timers, now_ms)?;
    let view = |source: Source| {
        let shape = shapes
            .get(&source.component_id)
            .ok_or_else(|| StoreError::Corrupt(format!("{} has no component", source.id)))?
            .clone()
            .with_dynamic_props(&source.dynamic_props);
        let endpoints = endpoints.get(&*source.id).map_or(&[][..], Vec::as_slice);
        Ok(SourceView {
            configured_props: shown_props(&source, &shape, endpoints, settings),
            next_run_at: timers.get(&*source.id).and_then(|timers| timers.next_due),
            ticks: ticks.get(&*source.id).copied(),
            app: apps.get(&source.component_id).cloned(),
            source,
        })
    };
    sources.into_iter().map(view).collect()
}

fn shown_props(
    source: &Source,
    shape: &ComponentShape,
    endpoints: &[Endpoint],
    settings: &Settings,
) -> Map<String, Value> {
    let mut values = masked(&shape.props, &source.configured_props);
    let mut shown = Map::new();
    for prop in &shape.props {
        let value = match prop.prop_type {
            PropType::Http | PropType::Apphook => endpoints
                .iter()
                .find(|endpoint| endpoint.prop == prop.name)
                .map(|endpoint| json!({ "endpoint_url": settings.endpoint_url(&endpoint.key) })),
            PropType::Db => Some(json!({ "type": "$.service.db" })),
            _ => values.remove(&prop.name),
        };
        if let Some(value) = value {
            shown.insert(prop.name.clone(), value);
        }
    }
    shown.extend(values);
    shown
}
