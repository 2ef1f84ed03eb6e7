//! Sources as the API shows them.

use serde_json::{Map, Value, json};
use sluice_model::{ComponentShape, PropType, SourceId, UserId, masked};
use sluice_store::{
    Conn, Page, StoreError, components,
    endpoints::{self, Endpoint},
    sources::{self, Source},
    timers,
};

use crate::{Engine, activity::EmitterSelection, error::EngineError, settings::Settings};

pub struct SourceView {
    pub source: Source,
    /// Secrets masked, endpoints as addresses, timers as their schedule.
    pub configured_props: Map<String, Value>,
    /// When the first of its timers is due; none while no timer is armed.
    pub next_run_at: Option<i64>,
}

/// One page of something, and how much there is in all.
pub struct Listing<T> {
    pub total: u64,
    pub rows: Vec<T>,
}

impl Engine {
    pub async fn source(&self, user: &UserId, id_or_slug: &str) -> Result<SourceView, EngineError> {
        let (user, id_or_slug) = (user.clone(), id_or_slug.to_owned());
        let settings = self.context.settings.clone();
        self.context
            .store
            .read(move |c| {
                let found = match SourceId::parse(&id_or_slug) {
                    Some(id) => sources::get(c, &user, &id)?,
                    None => sources::by_slug(c, &user, &id_or_slug)?,
                };
                found.map(|source| view(c, source, &settings)).transpose()
            })
            .await?
            .ok_or(EngineError::NotFound("source"))
    }

    pub async fn sources(
        &self,
        user: &UserId,
        selection: &EmitterSelection,
        page: Page,
    ) -> Result<Listing<SourceView>, EngineError> {
        let user = user.clone();
        let filter = selection.filter(self.context.clock.now_ms());
        let settings = self.context.settings.clone();
        let listing = self.context.store.read(move |c| {
            let total = sources::count(c, &user, &filter)?;
            let rows = sources::list(c, &user, &filter, &page)?
                .into_iter()
                .map(|source| view(c, source, &settings))
                .collect::<Result<_, _>>()?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }

    pub(crate) async fn source_row(
        &self,
        user: &UserId,
        id: &SourceId,
    ) -> Result<Source, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.context
            .store
            .read(move |c| sources::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("source"))
    }
}

fn view(c: &mut dyn Conn, source: Source, settings: &Settings) -> Result<SourceView, StoreError> {
    let shape = components::shape_for_run(c, &source.component_id)?
        .ok_or_else(|| StoreError::Corrupt(format!("{} has no component", source.id)))?
        .with_dynamic_props(&source.dynamic_props);
    let endpoints = endpoints::of_emitter(c, &source.id)?;
    Ok(SourceView {
        configured_props: shown_props(&source, &shape, &endpoints, settings),
        next_run_at: timers::next_of_emitter(c, &source.id)?,
        source,
    })
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
