import "./style/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Page } from "./page/page.tsx";
import { createQueryClient } from "./page/query-client.ts";
import { restoreView } from "./session/kept-view.ts";
import { onSignOutElsewhere } from "./session/session.ts";

const root = document.getElementById("page");
if (root === null) throw new Error("index.html has no element #page");
// Back may show the page as it was, even after its reader has signed out.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) window.location.reload();
});
restoreView();
onSignOutElsewhere(() => window.location.reload());
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <Page />
    </QueryClientProvider>
  </StrictMode>,
);
