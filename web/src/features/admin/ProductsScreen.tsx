import { Title } from "@mantine/core"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ProductForm } from "./ProductForm.tsx"
import { ProductTable } from "./ProductTable.tsx"
import { useProducts } from "./queries.ts"
import "./admin.css"

export function ProductsScreen() {
  return (
    <Page title="Products" breadcrumb={<Breadcrumb to="/admin/dashboard">Admin Dashboard</Breadcrumb>}>
      <section className="card card--padded">
        <Title order={2} mb="md">
          Create product
        </Title>
        <ProductForm />
      </section>
      <section className="card products" aria-label="All products">
        <Products />
      </section>
    </Page>
  )
}

function Products() {
  const { data, error, refetch } = useProducts()
  if (data !== undefined) return <ProductTable products={data} />
  if (error === null) return <Spinner />
  return <LoadFailed title="The products could not be loaded" message={error.message} onRetry={refetch} />
}
