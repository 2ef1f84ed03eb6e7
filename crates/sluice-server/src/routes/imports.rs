//! Importing trees of components into the registry.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{
    Data, FieldQuery, ImportComponent, ImportComponents, ImportOutcome, ImportedComponent,
    ImportedFile, ImportsQuery, List, PageQuery,
};
use sluice_app::{App, Listing, TreePart};
use sluice_store::imports::Import;

use crate::{
    auth::Operator,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    query::Query,
    reply,
};

const MAX_COMPONENTS: usize = 100;
/// The longest name of a tree, and the longest path. Together they are a key of the database.
const MAX_NAME: usize = 1000;

/// Import components of a tree into the registry
///
/// Each is analysed without installing its packages, and registered with its app if it is valid. For the operator only.
/// For other users this path does not exist.
#[utoipa::path(post, path = "/components/registry/import", tag = "components", operation_id = "importComponents",
    request_body = ImportComponents, extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, body = Data<Vec<ImportedComponent>>), ApiErrors))]
pub(crate) async fn import(
    Operator(user): Operator,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<ImportComponents>,
) -> Result<Response, ApiError> {
    let ImportComponents {
        tree,
        texts,
        components,
        left,
    } = parameters;
    if components.len() > MAX_COMPONENTS {
        return Err(ApiError::bad_request(format!(
            "components must be at most {MAX_COMPONENTS}"
        )));
    }
    for (field, paths) in [
        ("left", left.iter().collect::<Vec<_>>()),
        ("texts", texts.keys().collect()),
    ] {
        if paths.iter().any(|path| path.contains('\0')) {
            return Err(ApiError::BadRequest(format!(
                "{field} must not contain NUL characters"
            )));
        }
    }
    let components = components.into_iter().map(component_of_tree);
    let part = TreePart {
        tree: required_tree(tree)?,
        texts,
        components: components.collect::<Result<_, _>>()?,
        left,
    };
    let outcomes = app.imports.import(&user.id, part).await?;
    let outcomes: Vec<_> = outcomes.into_iter().map(outcome_on_the_wire).collect();
    Ok(reply::all(&outcomes, &fields))
}

/// The imported files of a tree, by path
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(get, path = "/components/registry/imports", tag = "components", operation_id = "listImports",
    params(ImportsQuery, PageQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, body = List<ImportedFile>), ApiErrors))]
pub(crate) async fn list(
    _: Operator,
    State(app): State<Arc<App>>,
    Query(query): Query<ImportsQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let tree = required_tree(query.tree)?;
    // A cursor is a path.
    let page = PageRequest::parse(&page, |path| {
        (!path.contains('\0')).then(|| path.to_owned())
    })?;
    if page.before.is_some() {
        return Err(ApiError::bad_request(
            "this list is only read forwards: give after",
        ));
    }
    let after = page.after.unwrap_or_default();
    let Listing { total, rows } = app.imports.list(tree, after, page.limit).await?;
    let rows = rows.into_iter().map(file_on_the_wire).collect();
    let list = page::list(total, rows, |file| file.path.clone());
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

fn required_tree(tree: Option<String>) -> Result<String, ApiError> {
    let tree = tree.filter(|tree| !tree.is_empty());
    let tree = tree.ok_or_else(|| ApiError::bad_request("tree is required"))?;
    short("tree", tree)
}

fn short(what: &str, name: String) -> Result<String, ApiError> {
    if name.len() <= MAX_NAME {
        return Ok(name);
    }
    Err(ApiError::BadRequest(format!(
        "{what} must be at most {MAX_NAME} bytes long"
    )))
}

fn component_of_tree(
    component: ImportComponent,
) -> Result<sluice_app::ImportedComponent, ApiError> {
    let ImportComponent {
        path,
        errors,
        files,
    } = component;
    let has_nul = |text: &String| text.contains('\0');
    if has_nul(&path)
        || files
            .iter()
            .any(|(path, hash)| has_nul(path) || has_nul(hash))
    {
        return Err(ApiError::bad_request(
            "components must not contain NUL characters",
        ));
    }
    Ok(sluice_app::ImportedComponent {
        path: short("a path of components", path)?,
        files,
        errors,
    })
}

fn outcome_on_the_wire((path, imported): (String, sluice_app::ImportOutcome)) -> ImportedComponent {
    let (outcome, registered, errors) = match imported {
        sluice_app::ImportOutcome::Registered { key, version } => {
            (ImportOutcome::Registered, Some((key, version)), Vec::new())
        }
        sluice_app::ImportOutcome::Updated { key, version } => {
            (ImportOutcome::Updated, Some((key, version)), Vec::new())
        }
        sluice_app::ImportOutcome::Unchanged { key, version } => {
            (ImportOutcome::Unchanged, Some((key, version)), Vec::new())
        }
        sluice_app::ImportOutcome::Failed { errors } => (ImportOutcome::Failed, None, errors),
    };
    let (key, version) = registered.unzip();
    ImportedComponent {
        path,
        outcome,
        key,
        version,
        errors,
    }
}

fn file_on_the_wire(import: Import) -> ImportedFile {
    let Import {
        path,
        files,
        registered,
        errors,
        ..
    } = import;
    let (key, version) = registered
        .map(|registered| (registered.key, registered.version))
        .unzip();
    ImportedFile {
        path,
        files,
        key,
        version,
        errors,
    }
}
