#!/bin/sh
# Makes the files of deploy/secrets for docker-compose.yml. Files that exist stay as they are.
set -eu
folder="$(cd "$(dirname "$0")" && pwd)/secrets"
umask 022
mkdir -p "$folder"
# The folder is closed to others. The files are not, because each container reads its own as another user.
chmod 700 "$folder"

random() { head -c 24 /dev/urandom | base64 | tr '+/' '-_'; }
write() { [ -e "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"; }
read_from() { cat "$folder/$1"; }

write postgres-password "$(random)"
write mongo-password "$(random)"
write trawl-secret "$(random)$(random)"
write postgres-url "postgresql://trawl:$(read_from postgres-password)@postgres:5432/trawl"
write user-postgres-url "postgresql://trawl:$(read_from postgres-password)@user-postgres:5432/trawl"
write mongodb-uri "mongodb://trawl:$(read_from mongo-password)@mongo:27017/?authSource=admin"
write first-accounts "[{\"username\": \"admin\", \"role\": \"admin\", \"password\": \"$(random)\"}]"
write worker-key ""

echo "The secrets are in $folder. The first administrator's password is in first-accounts."
echo "Put the key of a worker or worker group into worker-key before you start the workers."
