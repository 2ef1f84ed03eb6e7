import { axios } from "@pipedream/platform";
import constants from "./common/constants.mjs";

export default {
  type: "app",
  app: "acme",
  propDefinitions: {
    customerId: {
      type: "string",
      label: "Customer",
      description: "Only what this customer ordered",
      async options({ prevContext: { cursor }, region }) {
        const { customers, next_cursor: nextCursor } = await this.listCustomers({ params: { cursor, region } });
        return {
          options: customers.map(({ id: value, name: label }) => ({ label, value })),
          context: { cursor: nextCursor },
        };
      },
    },
    orderId: {
      type: "string",
      label: "Order",
      async options({ page, customerId }) {
        const { orders } = await this.listOrders({ params: { page: page + 1, customer_id: customerId } });
        return orders.map(({ id }) => String(id));
      },
    },
    topics: {
      type: "string[]",
      label: "Topics",
      options: constants.TOPICS,
    },
  },
  methods: {
    _baseUrl() {
      return this.$auth.api_url;
    },
    _headers(headers) {
      return { "x-api-key": this.$auth.api_key, ...headers };
    },
    _makeRequest({ $ = this, path, headers, ...opts }) {
      return axios($, {
        url: `${this._baseUrl()}${path}`,
        headers: this._headers(headers),
        ...opts,
      });
    },
    listOrders(opts = {}) {
      return this._makeRequest({ path: "/orders", ...opts });
    },
    createOrder(opts = {}) {
      return this._makeRequest({ method: "POST", path: "/orders", ...opts });
    },
    listCustomers(opts = {}) {
      return this._makeRequest({ path: "/customers", ...opts });
    },
    createWebhook(opts = {}) {
      return this._makeRequest({ method: "POST", path: "/webhooks", ...opts });
    },
    deleteWebhook({ webhookId, ...opts }) {
      return this._makeRequest({ method: "DELETE", path: `/webhooks/${webhookId}`, ...opts });
    },
    async *paginate({ fn, params, max }) {
      let page = 1;
      let count = 0;
      let hasMore;
      do {
        const response = await fn({ params: { ...params, page, limit: constants.PAGE_SIZE } });
        for (const order of response.orders) {
          yield order;
          count += 1;
          if (max && count >= max) return;
        }
        hasMore = response.has_more;
        page += 1;
      } while (hasMore);
    },
  },
};
