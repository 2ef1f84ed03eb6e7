import type { Order } from "./types";

export enum Unit {
  Order = "order",
  Customer = "customer",
}

export const summaryOf = ({ id }: Pick<Order, "id">, unit: Unit = Unit.Order): string => `New ${unit} ${id}`;
