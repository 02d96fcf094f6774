module oaklath/interop/go

go 1.26
