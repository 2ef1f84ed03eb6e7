const axios = require("axios");

module.exports = {
  type: "app",
  app: "bolt",
  propDefinitions: {
    customerId: {
      type: "string",
      label: "Customer",
      async options(context) {
        const { cursor } = context.prevContext;
        const { customers, next_cursor: nextCursor } = await this.listCustomers({ cursor });
        return {
          options: customers.map((customer) => ({ label: customer.name, value: customer.id })),
          context: { cursor: nextCursor },
        };
      },
    },
  },
  methods: {
    _apiUrl() {
      return this.$auth.api_url;
    },
    async _request(config) {
      const { data } = await axios({
        baseURL: this._apiUrl(),
        headers: { "x-api-key": this.$auth.api_key },
        ...config,
      });
      return data;
    },
    async listOrders(params) {
      return await this._request({ url: "/orders", params });
    },
    async listCustomers(params) {
      return await this._request({ url: "/customers", params });
    },
    async createHook(data) {
      return await this._request({ method: "POST", url: "/webhooks", data });
    },
    async deleteHook(hookId) {
      await this._request({ method: "DELETE", url: `/webhooks/${hookId}` });
    },
    async *paginate(fetchPage, max) {
      let page = 1;
      let count = 0;
      let hasMore;
      do {
        const { orders, has_more: more } = await fetchPage({ page, limit: 2 });
        for (const order of orders) {
          yield order;
          count += 1;
          if (max && count >= max) return;
        }
        hasMore = more;
        page += 1;
      } while (hasMore);
    },
  },
};
