// How an OLE compound file begins (MS-CFB 2.2): the formats before 2007, and what a password is put around.
const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

/** Throws, in words for the file's owner, for an Office file that is no ZIP archive because it is encrypted or old. */
export function refuseOldOffice(bytes: Uint8Array): void {
  if (!OLE_SIGNATURE.every((byte, index) => bytes[index] === byte)) return
  throw new Error('it is protected with a password, or in the format of before Office 2007')
}
