const PAGE_SIZE = 2;

const TOPICS = [
  { label: "An order was made", value: "order.created" },
  { label: "An order was paid", value: "order.paid" },
];

export default { PAGE_SIZE, TOPICS };
