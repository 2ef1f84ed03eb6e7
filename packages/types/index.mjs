// Components are plain objects. These functions only give them types.
const same = (component) => component;

export { same as defineAction, same as defineApp, same as defineComponent, same as defineSource };
