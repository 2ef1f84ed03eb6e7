//! The requests of the protocol: which tools there are, and calls of them.

use std::sync::Arc;

use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use sluice_app::{App, ToolView};

use super::{builtin, call, client::McpClient, outcome};
use crate::api_service::ApiService;

const INSTRUCTIONS: &str = "Sluice runs event sources, workflows and actions. The tools that begin with sluice_ search its \
     registry, deploy and run components and workflows, and read their events, logs and errors. All other tools are actions that \
     the user enabled; each runs with the account that the user chose.";

#[derive(Clone)]
pub(super) struct McpHandler {
    app: Arc<App>,
    api: ApiService,
}

impl McpHandler {
    pub(super) fn new(app: Arc<App>, api: ApiService) -> McpHandler {
        McpHandler { app, api }
    }

    /// The tools that the key of the client can call.
    async fn tools(&self, client: &McpClient) -> Result<Vec<Tool>, ErrorData> {
        let builtin = builtin::all().filter(|tool| client.has(tool.scope));
        let mut tools: Vec<Tool> = builtin.map(builtin::Builtin::to_tool).collect();
        if client.may_run_tools() {
            let enabled = self.app.tools.list(&client.user).await;
            let enabled =
                enabled.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let usable = enabled.into_iter().filter(|tool| tool.problem.is_none());
            tools.extend(usable.map(action));
        }
        Ok(tools)
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new("sluice", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = client(&context)?;
        let tools = self.tools(&client).await?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = client(&context)?;
        let arguments = request.arguments.unwrap_or_default();
        let builtin = builtin::find(&request.name);
        let prepared = match builtin {
            Some(tool) => call::of_builtin(tool, arguments, &client),
            None => call::of_action(&request.name, &arguments, &client),
        };
        let prepared = match prepared {
            Ok(request) => request,
            Err(message) => return Ok(outcome::failure(message).into()),
        };
        let response = self.api.respond(prepared, client.address).await;
        let result = match builtin {
            Some(_) => outcome::of_builtin(response).await,
            None => outcome::of_action(response).await,
        };
        Ok(result.into())
    }
}

fn action(view: ToolView) -> Tool {
    let description = view.description.unwrap_or_default();
    let tool = builtin::tool(view.name, description, view.input_schema);
    match view.title {
        Some(title) => tool.with_title(title),
        None => tool,
    }
}

fn client(context: &RequestContext<RoleServer>) -> Result<McpClient, ErrorData> {
    let parts: Option<&Parts> = context.extensions.get();
    let client = parts.and_then(|parts| parts.extensions.get::<McpClient>().cloned());
    client.ok_or_else(|| ErrorData::internal_error("the request has no client", None))
}
