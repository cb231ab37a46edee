// Sends the worker the last descriptor of a connection with SO_LINGER over its stdout: closing it would block the worker
// until the other side has read everything, which never happens.
// The other side is the run's own, if it has its own network; else it can reach none. The filter must refuse SO_LINGER.
// ends: end "does not linger"
const { execFileSync } = require('node:child_process');

const PROGRAM = `
  use Socket;
  socket(my $s, PF_INET, SOCK_STREAM, 0) or die;
  setsockopt($s, SOL_SOCKET, SO_LINGER, pack('ii', 1, 3600));
  my ($is_on) = unpack('ii', getsockopt($s, SOL_SOCKET, SO_LINGER));
  print $is_on ? 'lingers' : 'does not linger';`;

module.exports = () => execFileSync('perl', ['-e', PROGRAM], { encoding: 'utf8' });
