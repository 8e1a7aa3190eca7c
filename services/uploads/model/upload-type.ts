import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";

/** What kind of thing a file is, by the extension of its name; `OTHER` where that tells nothing. */
export function uploadTypeOf(filename: string): UploadType {
  const dot = filename.lastIndexOf(".");
  // A name such as `.profile` is all name.
  if (dot < 1) return UploadType.OTHER;
  return typeOfExtension.get(filename.slice(dot + 1).toLowerCase()) ?? UploadType.OTHER;
}

// `ts` and `mts` are source code here, not films: of the two kinds of file it is the commoner one.
const extensions: readonly (readonly [type: UploadType, extensions: string])[] = [
  [
    UploadType.IMAGE,
    `apng arw avif bmp cr2 cr3 dng emf eps gif heic heif icns ico jfif jp2 jpe jpeg jpg jxl
     nef orf pbm pgm png pnm ppm psb psd raf raw rw2 svg svgz tga tif tiff webp wmf xcf xpm`,
  ],
  [
    UploadType.VIDEO,
    `3g2 3gp asf avi divx f4v flv m2ts m2v m4v mjpeg mkv mov mp4 mpe mpeg mpg mxf ogv qt rm
     rmvb vob webm wmv`,
  ],
  [
    UploadType.AUDIO,
    `aac ac3 aif aifc aiff amr ape au caf dsf flac m4a m4b mid midi mka mp2 mp3 mpc oga ogg
     opus ra snd spx tta wav weba wma wv`,
  ],
  [
    UploadType.DOCUMENT,
    `azw azw3 chm djvu doc docm docx dotm dotx epub fodp fods fodt mobi numbers odf odg odp
     ods odt ott oxps pages pdf potx pps ppsx ppt pptm pptx ps rtf sxc sxi sxw vsd vsdx wpd
     wps xls xlsb xlsm xlsx xlt xltx xps`,
  ],
  [
    UploadType.ARCHIVE,
    `7z aar apk ar arj bz2 cab cpio crate deb dmg ear egg gem gz img ipa iso jar lha lz lz4
     lzh lzma lzo msi nupkg pkg rar rpm sit sitx tar taz tbz tbz2 tgz tlz txz tzst vsix war
     whl wim xar xpi xz z zip zipx zst`,
  ],
  [
    UploadType.TEXT,
    `adoc applescript asc asciidoc asm astro awk bash bat bib c cc cfg cjs clj cljs cmake cmd
     cnf coffee conf cpp cs css csv cts cxx d dart diff dot dtd dts edn el elm env erl ex exs
     f f90 fish fs fsx go gql gradle graphql groovy h hbs hcl hh hpp hrl hs htm html hxx ics
     inc ini ino ipynb java jinja jl js json json5 jsonc jsonl jsx kt kts less lisp list lock
     log lua m m4 mak make map markdown md mdx mjs mk ml mli mm mts mustache nfo nim nix
     nroff org pas patch php pl plist pm po pod pot pro prolog properties props proto ps1
     psm1 pug py pyi pyx r rb reg rkt rmd rs rst sass sbt scala scm scss sed sh sln snap sol
     sql srt styl sub sv svelte swift tcl tex text tf toml tpl ts tsv tsx txt vala vb vbs vcf
     vhd vhdl vim vtt vue wat wsdl xhtml xml xsd xsl xslt yaml yml zig zsh`,
  ],
];

const typeOfExtension: ReadonlyMap<string, UploadType> = new Map(
  extensions.flatMap(([type, list]) => list.split(/\s+/).map((extension) => [extension, type])),
);
