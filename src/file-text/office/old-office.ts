// Start of an OLE compound file (MS-CFB 2.2), used by formats before 2007 and by encrypted files.
const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

/** @throws an error for the file's owner if the Office file is encrypted or old, and so no ZIP archive */
export function refuseOldOffice(bytes: Uint8Array): void {
  if (!OLE_SIGNATURE.every((byte, index) => bytes[index] === byte)) return
  throw new Error('it is protected with a password, or in the format of before Office 2007')
}
