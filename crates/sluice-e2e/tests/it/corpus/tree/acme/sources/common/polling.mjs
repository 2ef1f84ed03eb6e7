import { ConfigurationError, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } from "@pipedream/platform";
import base from "./base.mjs";

export default {
  ...base,
  props: {
    ...base.props,
    timer: {
      type: "$.interface.timer",
      default: {
        intervalSeconds: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL,
      },
    },
  },
  hooks: {
    async deploy() {
      await this.processResources({ max: 1 });
    },
  },
  methods: {
    ...base.methods,
    _getLastId() {
      return this.db.get("lastId") || 0;
    },
    _setLastId(lastId) {
      this.db.set("lastId", lastId);
    },
    getResourceFn() {
      throw new ConfigurationError("getResourceFn is not implemented");
    },
    getParams() {
      return {};
    },
    async processResources({ max } = {}) {
      const { acme, getResourceFn, getParams, _getLastId: getLastId, _setLastId: setLastId } = this;
      const lastId = getLastId();
      const { paginate } = acme;
      const resources = [];
      for await (const resource of paginate({ fn: getResourceFn(), params: getParams(), max })) {
        if (resource.id > lastId || max) resources.push(resource);
      }
      if (!resources.length) return;
      if (!max) setLastId(resources[0].id);
      resources.reverse().forEach(this.emitEvent);
    },
  },
  async run() {
    await this.processResources();
  },
};
