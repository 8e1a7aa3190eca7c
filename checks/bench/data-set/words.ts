/** What things in the generated data set are called. Earlier words are used more often. */

export const folderWords: readonly string[] = [
  ..."archive projects clients photos documents assets shared backup exports invoices".split(" "),
  ..."reports design marketing events campaigns products contracts research training".split(" "),
  ..."music video src lib test docs images fonts icons styles data logs releases".split(" "),
  ..."Spring Summer Autumn Winter aurora borealis cedar delta falcon harbour indigo".split(" "),
  ..."juniper lagoon meadow nimbus orchid quartz raven sierra tundra umbra willow".split(" "),
  ...["New folder", "To sort", "Old versions", "Büro", "Übersicht", "写真", "Año nuevo", "résumés"],
];

export const nameWords: readonly string[] = [
  ..."report invoice summary contract notes minutes proposal budget schedule plan".split(" "),
  ..."draft review agenda letter receipt offer statement overview checklist manual".split(" "),
  ..."poster banner logo cover header portrait landscape sketch mockup storyboard".split(" "),
  ..."harbour lighthouse meadow forest bridge tower garden station market island".split(" "),
  ..."annual quarterly weekly final revised signed internal public customer supplier".split(" "),
  ..."autumn winter sunrise midnight festival concert journey wedding birthday picnic".split(" "),
  ..."übersicht größe café señor øresund naïve".split(" "),
];

/** Found in few names: one in some thousands has one of them. */
export const rareWords: readonly string[] = [
  ..."quokka axolotl zeppelin kumquat obelisk vexillology fjord xylophone".split(" "),
];

export const tagWords: readonly string[] = [
  ..."approved draft public internal archive 2026 2025 print web social".split(" "),
  ..."press legal finance urgent reviewed outdated licensed team-a team-b customer".split(" "),
  ..."nature people city night product event logo raw edited scanned".split(" "),
  ..."blue red green black-and-white portrait landscape square panorama aerial macro".split(" "),
];

export const usernames: readonly string[] = [
  ..."amelie bogdan chiara dmitri esperanza fatima grzegorz hannah ines jonas".split(" "),
  ..."katarina liam mehmet nadia oskar priya quentin rosa soren tomasz".split(" "),
  ..."ulrike valentin wanda xenia yusuf zofia anders beatriz cedric daria".split(" "),
];
