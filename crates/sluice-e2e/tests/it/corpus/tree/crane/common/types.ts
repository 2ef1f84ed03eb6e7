export interface Order {
  id: number;
  customer_id: string;
  created_at: string;
}

export interface Customer {
  id: string;
  name: string;
}

export interface Page {
  page: number;
  limit: number;
}

export type ListParams = Page & { customer_id?: string };

export type Paginated<T> = { orders?: T[]; has_more: boolean };

export interface HttpRequestParams {
  $?: object;
  endpoint: string;
}
