// Sales tab of a location; only for those who may edit it.
import { SalesPanel } from "../../sales/SalesPanel.tsx";
import { LocationTabFrame } from "./LocationTabs.tsx";

export const LocationSalesTab = () => (
  <LocationTabFrame tab="sales">
    {({ _id: id, name, location }) => <SalesPanel key={id} id={id} name={name} timeZone={location.timezone} />}
  </LocationTabFrame>
);
