//! The web API that the components of the tree talk to: orders in pages, customers by cursor, and webhooks.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    sync::{Arc, OnceLock},
};

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State},
    http::{HeaderMap, StatusCode},
    middleware::{Next, from_fn_with_state},
    response::Response,
    routing::{delete, get, post},
};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::Sha256;

use super::loopback::serve;

const SECRET: &str = "whisper";

type Refusal = (StatusCode, Json<Value>);

#[derive(Clone, Default)]
pub(super) struct AcmeApi {
    url: String,
    /// By API key.
    workspaces: Arc<Mutex<HashMap<String, Workspace>>>,
}

/// What one customer of Acme has there.
#[derive(Default)]
struct Workspace {
    /// Newest first.
    orders: Vec<Value>,
    webhooks: BTreeMap<String, Value>,
    webhooks_made: usize,
}

impl AcmeApi {
    /// The one of this test process.
    pub(super) fn shared() -> &'static AcmeApi {
        static API: OnceLock<AcmeApi> = OnceLock::new();
        API.get_or_init(|| {
            let mut api = AcmeApi::default();
            let router = Router::new()
                .route("/orders", get(list_orders).post(create_order))
                .route("/customers", get(list_customers))
                .route("/webhooks", post(create_webhook))
                .route("/webhooks/{id}", delete(delete_webhook))
                .route_layer(from_fn_with_state(api.clone(), require_key))
                .with_state(api.clone());
            api.url = serve(router);
            api
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Opens a workspace for a key that is new.
    pub(super) fn open(&self, key: &str) {
        self.workspaces
            .lock()
            .insert(key.to_owned(), Workspace::default());
    }

    /// Makes an order at a time; orders count from 1.
    pub(super) fn order(&self, key: &str, customer: &str, created_at: &str) -> Value {
        self.with(key, |workspace| workspace.order(customer, created_at))
    }

    /// The webhooks that are registered now.
    pub(super) fn webhooks(&self, key: &str) -> Vec<Value> {
        self.with(key, |workspace| {
            workspace.webhooks.values().cloned().collect()
        })
    }

    fn with<T>(&self, key: &str, act: impl FnOnce(&mut Workspace) -> T) -> T {
        act(self
            .workspaces
            .lock()
            .get_mut(key)
            .expect("a key that was checked"))
    }
}

/// What Acme signs its requests to webhooks with.
pub(super) fn signature(body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("any length will do");
    mac.update(body.as_bytes());
    let mut hex = String::new();
    for byte in mac.finalize().into_bytes() {
        write!(hex, "{byte:02x}").expect("a string takes any text");
    }
    hex
}

impl Workspace {
    fn order(&mut self, customer: &str, created_at: &str) -> Value {
        let id = self.orders.len() + 1;
        let order = json!({ "id": id, "customer_id": customer, "created_at": created_at });
        self.orders.insert(0, order.clone());
        order
    }
}

async fn require_key(
    State(api): State<AcmeApi>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let known = api
        .workspaces
        .lock()
        .contains_key(&key_of(request.headers()));
    if !known {
        let body = json!({ "message": "invalid API key" });
        return Err((StatusCode::UNAUTHORIZED, Json(body)));
    }
    Ok(next.run(request).await)
}

fn key_of(headers: &HeaderMap) -> String {
    let key = headers.get("x-api-key").and_then(|key| key.to_str().ok());
    key.unwrap_or_default().to_owned()
}

async fn list_orders(
    State(api): State<AcmeApi>,
    headers: HeaderMap,
    Query(query): Query<HashMap<String, String>>,
) -> Json<Value> {
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
    let (page, limit) = (number("page").unwrap_or(1), number("limit").unwrap_or(100));
    let orders = api.with(&key_of(&headers), |workspace| workspace.orders.clone());
    let wanted: Vec<Value> = orders
        .into_iter()
        .filter(|order| {
            query
                .get("customer_id")
                .is_none_or(|customer| order["customer_id"] == **customer)
        })
        .collect();
    let rows: Vec<&Value> = wanted.iter().skip((page - 1) * limit).take(limit).collect();
    Json(json!({ "orders": rows, "has_more": page * limit < wanted.len() }))
}

async fn create_order(
    State(api): State<AcmeApi>,
    headers: HeaderMap,
    Json(order): Json<Value>,
) -> Json<Value> {
    let customer = order["customer_id"].as_str().unwrap_or_default();
    Json(api.order(&key_of(&headers), customer, "2026-02-01T00:00:00Z"))
}

/// Two pages; their names tell what was asked.
async fn list_customers(Query(query): Query<HashMap<String, String>>) -> Json<Value> {
    let region = query.get("region").map_or("anywhere", String::as_str);
    let customer = |id: &str| json!({ "id": id, "name": format!("Customer {id} of {region}") });
    Json(match query.get("cursor") {
        None => json!({ "customers": [customer("c1"), customer("c2")], "next_cursor": "second" }),
        Some(_) => json!({ "customers": [customer("c3")] }),
    })
}

async fn create_webhook(
    State(api): State<AcmeApi>,
    headers: HeaderMap,
    Json(wanted): Json<Value>,
) -> Json<Value> {
    let id = api.with(&key_of(&headers), |workspace| {
        workspace.webhooks_made += 1;
        let id = format!("hook-{}", workspace.webhooks_made);
        workspace.webhooks.insert(id.clone(), wanted);
        id
    });
    Json(json!({ "id": id, "secret": SECRET }))
}

async fn delete_webhook(
    State(api): State<AcmeApi>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> StatusCode {
    let removed = api.with(&key_of(&headers), |workspace| {
        workspace.webhooks.remove(&id)
    });
    match removed {
        Some(_) => StatusCode::NO_CONTENT,
        None => StatusCode::NOT_FOUND,
    }
}
