// Sends the worker, over the pipe of what it prints, the last descriptor of a connection that lingers when it is closed: the
// worker drops it, and would stand still until the other side has read all, which it never does.
// The other side is its own, where it has a network of its own; else there is none that it may reach. Nothing may linger.
// ends: end "does not linger"
const { execFileSync } = require('node:child_process');

const PROGRAM = `
  use Socket;
  socket(my $s, PF_INET, SOCK_STREAM, 0) or die;
  setsockopt($s, SOL_SOCKET, SO_LINGER, pack('ii', 1, 3600));
  my ($is_on) = unpack('ii', getsockopt($s, SOL_SOCKET, SO_LINGER));
  print $is_on ? 'lingers' : 'does not linger';`;

module.exports = () => execFileSync('perl', ['-e', PROGRAM], { encoding: 'utf8' });
