// Verifies chains with Go's crypto/x509, one per line: root, authority or nothing, entity (DER in
// hexadecimal), host and time, separated by commas; answers `ok` or the reason, also one per line.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := verify(strings.Split(lines.Text(), ",")); err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
}

func verify(fields []string) error {
	parsed := make([]*x509.Certificate, 3)
	for i, field := range fields[:3] {
		der, err := hex.DecodeString(field)
		if err != nil {
			return err
		}
		if len(der) == 0 {
			continue
		}
		if parsed[i], err = x509.ParseCertificate(der); err != nil {
			return err
		}
	}
	seconds, err := strconv.ParseInt(fields[4], 10, 64)
	if err != nil {
		return err
	}
	options := x509.VerifyOptions{
		DNSName:       fields[3],
		Roots:         x509.NewCertPool(),
		Intermediates: x509.NewCertPool(),
		CurrentTime:   time.Unix(seconds, 0),
	}
	options.Roots.AddCert(parsed[0])
	if parsed[1] != nil {
		options.Intermediates.AddCert(parsed[1])
	}
	_, err = parsed[2].Verify(options)
	return err
}
