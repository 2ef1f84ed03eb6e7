import { axios } from "@pipedream/platform";
import { defineApp } from "@pipedream/types";
import type { AxiosRequestConfig } from "axios";
import { Customer, HttpRequestParams, ListParams, Order, Page, Paginated } from "../common/types";

export default defineApp({
  type: "app",
  app: "crane",
  propDefinitions: {
    customerId: {
      type: "string",
      label: "Customer",
      async options({ prevContext: { cursor } }: { prevContext: { cursor?: string } }) {
        const { customers, next_cursor: nextCursor }: { customers: Customer[]; next_cursor?: string } =
          await this.listCustomers({ cursor });
        return {
          options: customers.map(({ id: value, name: label }) => ({ label, value })),
          context: { cursor: nextCursor },
        };
      },
    },
  },
  methods: {
    _baseUrl(): string {
      return this.$auth.api_url;
    },
    async _httpRequest<T>({ $ = this, endpoint, ...args }: HttpRequestParams & AxiosRequestConfig): Promise<T> {
      return axios($, {
        url: `${this._baseUrl()}${endpoint}`,
        headers: { "x-api-key": this.$auth.api_key as string },
        ...args,
      });
    },
    async listOrders(params: ListParams): Promise<Paginated<Order>> {
      return this._httpRequest<Paginated<Order>>({ endpoint: "/orders", params });
    },
    async listCustomers(params: object) {
      return this._httpRequest({ endpoint: "/customers", params });
    },
    async *paginate(fn: (page: Page) => Promise<Paginated<Order>>, max?: number): AsyncGenerator<Order> {
      let page = 1;
      let count = 0;
      let hasMore: boolean;
      do {
        const response = await fn({ page, limit: 2 });
        for (const order of response.orders!) {
          yield order;
          count += 1;
          if (max && count >= max) return;
        }
        hasMore = response.has_more;
        page += 1;
      } while (hasMore);
    },
  },
});
